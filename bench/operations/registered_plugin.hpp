// The one plugin of a library that Oclgrind loads. Included after <oclgrind/Context.h> and <oclgrind/Plugin.h>, which
// may be included only once.
#pragma once

namespace oclide::bench {

template <class Plugin>
class RegisteredPlugin {
 public:
  static void add(oclgrind::Context* context) {
    plugin_ = new Plugin(context);
    context->registerPlugin(plugin_);
  }
  static void remove(oclgrind::Context* context) {
    context->unregisterPlugin(plugin_);
    delete plugin_;
    plugin_ = nullptr;
  }

 private:
  static inline Plugin* plugin_ = nullptr;
};

}  // namespace oclide::bench
