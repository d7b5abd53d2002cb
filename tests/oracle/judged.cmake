# A scenario, or a scene file where there is one, through the command, judged by the oracle:
#   cmake -DCOMMAND=oclide -DORACLE=pair_oracle -DOUT=folder -DDEVICE=auto "-DSCENARIO=pile;--bodies;400" -P this
#   cmake ... -DSCENE=file.h5 -P this
file(MAKE_DIRECTORY ${OUT})
set(make_scene "${COMMAND};generate;${SCENARIO};-o;${OUT}/scene.h5")
if(SCENE)
  if(NOT EXISTS ${SCENE})
    message("SKIPPED: there is no ${SCENE}")
    return()
  endif()
  set(make_scene "${CMAKE_COMMAND};-E;copy;${SCENE};${OUT}/scene.h5")
endif()
foreach(margin 0 0.02)
  foreach(step
          "${make_scene}"
          "${COMMAND};run;${OUT}/scene.h5;-o;${OUT}/contacts.h5;--device;${DEVICE};--margin;${margin}"
          "${ORACLE};${OUT}/scene.h5;${OUT}/contacts.h5;--margin;${margin}")
    execute_process(COMMAND ${step} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${step}: status ${status}\n${output}")
    endif()
  endforeach()
  if(NOT output MATCHES "pairs with contacts: [1-9][0-9]")
    message(FATAL_ERROR "hardly any pair in contact:\n${output}")
  endif()
endforeach()
