# DynamoRIO, for the clients (record/accesses, optimizer). Included by the root, so that its targets are known everywhere.
find_package(DynamoRIO QUIET)
if(NOT DynamoRIO_FOUND)
    message(FATAL_ERROR "DynamoRIO is missing: run setup/dynamorio.sh and set DynamoRIO_DIR to the folder that it prints, "
                        "or configure with -DMALLOOM_DYNAMORIO=OFF to build without its clients")
endif()

# DynamoRIO's package takes for granted that it was built as RelWithDebInfo; a Release build is as good.
string(TOUPPER ${CMAKE_BUILD_TYPE} config)
foreach(target dynamorio drcontainers drmgr_static drreg_static drutil_static drx_static)
    set_target_properties(${target} PROPERTIES MAP_IMPORTED_CONFIG_${config} "RelWithDebInfo;Release")
endforeach()
