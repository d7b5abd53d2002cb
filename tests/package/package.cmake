cmake_minimum_required(VERSION 3.25)

# Runs a command; any failure is fatal. Its output is in `output`.
function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}\n${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# What programs run on: OpenCL where there is a device, and the reference.
set(devices auto reference)

# Runs a program of the example scene on each device; it has to say the version and the command's hash.
function(must_match version)
  foreach(device IN LISTS devices)
    must(${ARGN} ${device})
    file(READ ${WORK}/hash_${device} hash)
    string(REPLACE "." "\\." pattern "${version}")
    if(NOT output MATCHES "oclide ${pattern}\\." OR NOT output MATCHES "contact_hash ${hash}\n")
      list(JOIN ARGN " " command)
      message(FATAL_ERROR "${command} ${device}: not version ${version} with ${hash} but\n${output}")
    endif()
  endforeach()
endfunction()

# Both installed libraries without anything of the tree around them.
set(prefix ${WORK}/prefix)
set(library_folder ${prefix}/${LIBDIR})
