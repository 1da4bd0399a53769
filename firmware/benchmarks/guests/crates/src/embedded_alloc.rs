//! Its TLSF, whose critical sections do nothing, as in RISC Zero's guests.
use critical_section::{set_impl, Impl, RawRestoreState};
use embedded_alloc::TlsfHeap;

struct Alone;
set_impl!(Alone);

unsafe impl Impl for Alone {
    unsafe fn acquire() -> RawRestoreState {}
    unsafe fn release(_state: RawRestoreState) {}
}

#[global_allocator]
pub static HEAP: TlsfHeap = TlsfHeap::empty();

pub unsafe fn open(memory: *mut u8, bytes: usize) {
    HEAP.init(memory as usize, bytes);
}
