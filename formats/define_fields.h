// What the X-macros of the .def files mean in C++: versions and limits become constants, enumerations enums,
// structs become structs whose size is checked. Included around each .def; formats/undefine_fields.h takes
// the macros away again.
#define VERSION(number, name, summary) constexpr u32 version_##name = number;
#define LIMIT(type, name, number, unit, meaning) constexpr type name = number;
#define ENUM_BEGIN(name, type) enum class name : type {
#define VALUE(enumeration, name, number, meaning) name = number,
#define ENUM_END(name) \
    }                  \
    ;
#define STRUCT_BEGIN(name, bytes)            \
    constexpr unsigned name##_bytes = bytes; \
    struct name {
#define FIELD(type, name, unit, meaning) type name;
#define STRUCT_END(name) \
    }                    \
    ;                    \
    static_assert(sizeof(name) == name##_bytes, "the layout on disk has no padding");
