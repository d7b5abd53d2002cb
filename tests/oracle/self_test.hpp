#pragma once

namespace oracle {

/// Hand-made contacts, right and wrong in each category, and the exact overlap against dense random sampling.
/// Returns 0 where the oracle judges all of them as it must, else 1 with lines on standard output.
int self_test();

/// The same for pairs of bodies: depths by formula and by sampling, and contacts made by hand.
int pair_self_test();

/// The same for bodies on triangle meshes.
int mesh_self_test();

}  // namespace oracle
