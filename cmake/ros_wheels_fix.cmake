# Given to CMake as CMAKE_PROJECT_INCLUDE; the packages themselves stay untouched.

# The ROS 2 wheels record include folders of the machine that built them: drop those that do not exist here.
function(ros_wheels_drop_missing_includes)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(NOT folders)
      continue()
    endif()
    set(kept)
    foreach(folder IN LISTS folders)
      if(NOT IS_ABSOLUTE "${folder}" OR EXISTS "${folder}")
        list(APPEND kept "${folder}")
      endif()
    endforeach()
    set_property(TARGET ${target} PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${kept}")
  endforeach()
endfunction()

# Generated C++ is nearly all headers: compiled as one file per library it takes a fifth of the time.
function(ros_wheels_compile_together)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER targets INCLUDE REGEX "__rosidl_typesupport_(c|cpp|introspection_cpp|fastrtps_c|fastrtps_cpp)$")
  foreach(target IN LISTS targets)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endforeach()
endfunction()

if(PROJECT_IS_TOP_LEVEL)
  cmake_language(DEFER CALL ros_wheels_drop_missing_includes)
  cmake_language(DEFER CALL ros_wheels_compile_together)
endif()
