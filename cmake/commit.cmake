# The commit of the sources, beside the libraries of the installed package, so that a result can say what was measured.
execute_process(
    COMMAND git -C ${PROJECT_SOURCE_DIR} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(
    COMMAND git -C ${PROJECT_SOURCE_DIR} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
    set(commit "unknown")
elseif(changes)
    string(APPEND commit " and changes")
endif()
file(WRITE ${PROJECT_BINARY_DIR}/commit "${commit}\n")
install(FILES ${PROJECT_BINARY_DIR}/commit DESTINATION malloom/native)
