# The C of docs/embedding.md compiles as it stands there, in a function of an application that has what it names.
file(READ ${PAGE} page)
string(REGEX MATCH "```c\n([^`]*)```" found "${page}")
if(found STREQUAL "")
  message(FATAL_ERROR "docs/embedding.md has no example in C")
endif()
file(WRITE ${FOLDER}/embedding.c "#include <oclide/oclide.h>
#include <stdio.h>
struct solver;
void add(struct solver* solver, const oclide_contact* contact);
void step(struct solver* solver);
int application(const oclide_scene* scene, struct solver* solver, const double* positions, const double* orientations,
                size_t body_count, int running);
int application(const oclide_scene* scene, struct solver* solver, const double* positions, const double* orientations,
                size_t body_count, int running) {
${CMAKE_MATCH_1}  return 0;
}
")
execute_process(COMMAND ${COMPILER} -std=c99 -Wall -Werror -fsyntax-only -I${INCLUDE} ${FOLDER}/embedding.c
                RESULT_VARIABLE status ERROR_VARIABLE said)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the example in C of docs/embedding.md does not compile:\n${said}")
endif()
