// Ends what formats/define_fields.h began.
#undef VERSION
#undef LIMIT
#undef ENUM_BEGIN
#undef VALUE
#undef ENUM_END
#undef STRUCT_BEGIN
#undef FIELD
#undef STRUCT_END
