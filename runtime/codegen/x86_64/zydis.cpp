#include "runtime/codegen/x86_64/zydis.h"

#include <dlfcn.h>

namespace malloom::codegen::x86_64 {

namespace {

// The soname changes with every version whose structs differ.
constexpr const char* library_name = "libZydis.so.4.0";

template <typename Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

}  // namespace

bool Zydis::open() {
    handle_ = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    return handle_ != nullptr && find_functions() &&
           ZYAN_SUCCESS(init_(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
}

bool Zydis::find_functions() {
    return find(handle_, "ZydisDecoderInit", init_) &&
           find(handle_, "ZydisDecoderDecodeInstruction", decode_instruction_) &&
           find(handle_, "ZydisDecoderDecodeFull", decode_full_) &&
           find(handle_, "ZydisEncoderEncodeInstructionAbsolute", encode_);
}

void Zydis::close() {
    if (handle_ != nullptr) {
        dlclose(handle_);
        handle_ = nullptr;
    }
}

bool Zydis::decode(const unsigned char* code, size_t bytes, ZydisDecodedInstruction& found,
                   Operands& operands) const {
    return ZYAN_SUCCESS(decode_full_(&decoder_, code, bytes, &found, operands));
}

unsigned Zydis::length(const unsigned char* code, size_t bytes) const {
    ZydisDecoderContext context;
    ZydisDecodedInstruction found;
    return ZYAN_SUCCESS(decode_instruction_(&decoder_, &context, code, bytes, &found)) ? found.length : 0;
}

size_t Zydis::encode(ZydisEncoderRequest request, std::span<unsigned char> room, uintptr_t address) const {
    ZyanUSize size = room.size();
    return ZYAN_SUCCESS(encode_(&request, room.data(), &size, address)) ? size : 0;
}

}  // namespace malloom::codegen::x86_64
