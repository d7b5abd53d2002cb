# A scenario through the command, judged by the oracle: cmake -DCOMMAND=oclide -DORACLE=pair_oracle -DOUT=folder -P this
file(MAKE_DIRECTORY ${OUT})
foreach(margin 0 0.02)
  foreach(step
          "${COMMAND};generate;crowd;-o;${OUT}/crowd.h5;--bodies;400;--frames;2;--seed;5"
          "${COMMAND};run;${OUT}/crowd.h5;-o;${OUT}/contacts.h5;--device;reference;--margin;${margin}"
          "${ORACLE};${OUT}/crowd.h5;${OUT}/contacts.h5;--margin;${margin}")
    execute_process(COMMAND ${step} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${step}: status ${status}\n${output}")
    endif()
  endforeach()
  if(NOT output MATCHES "pairs with contacts: [1-9][0-9]")
    message(FATAL_ERROR "hardly any pair in contact:\n${output}")
  endif()
endforeach()
