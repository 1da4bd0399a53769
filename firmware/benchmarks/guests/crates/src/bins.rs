#[global_allocator]
pub static HEAP: heap::Heap = heap::Heap::new();

pub unsafe fn open(memory: *mut u8, bytes: usize) {
    HEAP.open(memory, bytes);
}
