// Batches of scene files; oclide/_batch.py and oclide/distributed.py say what is done with them.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "batch/batch.hpp"
#include "batch/batch_runner.hpp"
#include "devices/choose_device.hpp"
#include "files/whole_file.hpp"
#include "objects.hpp"

namespace oclide::python {
namespace {

nb::object file_name(const std::string& name) {
  return nb::steal(PyUnicode_DecodeFSDefaultAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
}

// None for what a file that failed does not have.
template <class Value>
void add_result(nb::class_<BatchRow>& row, const char* name, const char* type, Value BatchRow::*member) {
  const std::string signature = std::string("def ") + name + "(self) -> typing.Optional[" + type + "]";
  row.def_prop_ro(
      name, [member](const BatchRow& r) { return r.done ? nb::cast(r.*member) : nb::object(nb::none()); },
      nb::sig(signature.c_str()));
}

template <class Hash>
void add_hash(nb::class_<BatchRow>& row, const char* name, Hash hash, const char* text) {
  const std::string signature = std::string("def ") + name + "(self) -> typing.Optional[str]";
  row.def_prop_ro(
      name, [hash](const BatchRow& r) { return r.done ? nb::cast(batch_hash_text(hash(r))) : nb::object(nb::none()); },
      nb::sig(signature.c_str()), text);
}

Settings runner_settings(const std::string& device, double margin, std::uint64_t memory_limit) {
  Settings settings;
  settings.device = device;
  settings.margin = margin;
  settings.memory_limit = memory_limit;
  return settings;
}

}  // namespace

void add_batch(nb::module_& module) {
  nb::class_<BatchRow> row(
      module, "BatchRow",
      "What became of one scene file: the columns of docs/batches.md. What a file that failed does "
      "not have is None.");
  row.def_prop_ro(
      "file", [](const BatchRow& r) { return file_name(r.file); }, nb::sig("def file(self) -> str"),
      "As it was given.");
  row.def_prop_ro("status", [](const BatchRow& r) { return r.done ? "done" : "failed"; });
  row.def_ro("message", &BatchRow::message, "Why it failed, or which terrains nothing meets, in one line.");
  row.def_ro("modified", &BatchRow::modified, "When the scene file was last written, UTC.");
  row.def_ro("range", &BatchRow::range, "Of its frames that were asked for, \"A:B\"; empty: all.");
  row.def_ro("margin", &BatchRow::margin, "[m]");
  add_result(row, "device", "str", &BatchRow::device);
  row.def_prop_ro(
      "file_bytes", [](const BatchRow& r) { return r.done ? nb::cast(r.scene.bytes) : nb::object(nb::none()); },
      nb::sig("def file_bytes(self) -> typing.Optional[int]"), "Of the scene file.");
  add_hash(
      row, "file_hash", [](const BatchRow& r) { return r.scene.hash; }, "16 digits, over the scene file's bytes.");
  add_result(row, "bodies", "int", &BatchRow::bodies);
  add_result(row, "frames", "int", &BatchRow::frames);
  add_result(row, "pairs", "int", &BatchRow::pairs);
  add_result(row, "contacts", "int", &BatchRow::contacts);
  add_result(row, "max_depth", "float", &BatchRow::max_depth);
  add_hash(
      row, "contact_hash", [](const BatchRow& r) { return r.contact_hash; }, "16 digits, as the command prints it.");
  add_result(row, "milliseconds", "float", &BatchRow::milliseconds);
  row.def("__repr__", [](const BatchRow& r) {
    return "<oclide.BatchRow " + base_name(r.file) + ": " +
           (r.done ? std::to_string(r.contacts) + " contacts" : "failed: " + r.message) + ">";
  });
  row.def("__getstate__", [](const BatchRow& r) { return fields_of(r); });
  row.def("__setstate__", [](BatchRow& r, const std::vector<std::string>& fields) {
    new (&r) BatchRow();
    if (!read_batch_row(fields, r)) throw Error(ErrorKind::invalid_input, "a pickled row is damaged");
  });
  module.def(
      "is_reference", [](const std::string& device) { return choose_device(device).is_reference; }, nb::arg("device"),
      "Whether this name of a device, as Collider takes it, means the reference here.");
  row.def(
      "__init__",
      [](BatchRow* self, const PathLike& file, const std::string& message, const std::string& frames, double margin) {
        new (self) BatchRow(row_to_do(to_path(file), frames, margin));
        self->message = message;
      },
      nb::arg("file"), nb::arg("message"), nb::arg("frames"), nb::arg("margin"), "Of a file that failed.");
  module.def(
      "output_target", [](const PathLike& file) { return file_name(output_target(to_path(file))); }, nb::arg("file"),
      nb::sig("def output_target(file: str | os.PathLike[str]) -> str"),
      "The name to rename a file to that is asked for under this one, which may be a link.");
  module.def("batch_columns", &batch_columns, "Names of the columns of a batch's table.");

  nb::class_<BatchRunner>(module, "BatchRunner", "Scene files one after another on one Collider.")
      .def(
          "__init__",
          [](BatchRunner* self, const std::string& device, double margin, std::uint64_t memory_limit,
             const std::string& frames) {
            const Settings settings = runner_settings(device, margin, memory_limit);
            const nb::gil_scoped_release release;
            new (self) BatchRunner(settings, frames);
          },
          nb::arg("device"), nb::arg("margin"), nb::arg("memory_limit"), nb::arg("frames"))
      .def(
          "run",
          [](BatchRunner& runner, const PathLike& scene, const PathLike& contacts, const PathLike& next) {
            const std::string from = to_path(scene), to = to_path(contacts), then = to_path(next);
            const nb::gil_scoped_release release;
            return runner.run(from, to, then);
          },
          nb::arg("scene"), nb::arg("contacts"), nb::arg("next") = "",
          "Contacts of one scene file, into a contact file where that has a name; next: the scene file of the next "
          "call, which is read meanwhile.");

  nb::class_<Batch>(module, "Batch", "A batch and its table, whoever does the work.")
      .def(
          "__init__",
          [](Batch* self, const PathsLike& inputs, const PathLike& output, const PathLike& summary, bool summary_only,
             bool resume, const std::string& frames, double margin, bool on_reference) {
            BatchOptions options;
            for (const nb::handle input : inputs.object) options.inputs.push_back(to_path({nb::borrow(input)}));
            options.output = to_path(output);
            options.summary = to_path(summary);
            options.summary_only = summary_only;
            options.resume = resume;
            options.frames = frames;
            options.settings.margin = margin;
            options.on_reference = on_reference;
            const nb::gil_scoped_release release;
            new (self) Batch(std::move(options));
          },
          nb::arg("inputs"), nb::arg("output"), nb::arg("summary"), nb::arg("summary_only"), nb::arg("resume"),
          nb::arg("frames"), nb::arg("margin"), nb::arg("on_reference"))
      .def_prop_ro(
          "work",
          [](const Batch& batch) {
            nb::list work;
            for (const Batch::Work& w : batch.work())
              work.append(nb::make_tuple(file_name(w.scene), file_name(w.contacts)));
            return work;
          },
          nb::sig("def work(self) -> list[tuple[str, str]]"),
          "What is to be done: scene file and contact file, which may be empty.")
      .def_prop_ro(
          "summary", [](const Batch& batch) { return file_name(batch.summary()); }, nb::sig("def summary(self) -> str"),
          "The table's name.")
      .def_prop_ro(
          "rows", [](const Batch& batch) { return batch.rows(); }, "Of all scene files.")
      .def("begin", &Batch::begin, "Before the first row.")
      .def("record", &Batch::record, nb::arg("index"), nb::arg("row"), "The row of work[index].")
      .def("finish", &Batch::finish, "After the last row.");
}

}  // namespace oclide::python
