//! A guest that hashes vectors of bytes: leaves of any length, and above them a tree whose nodes are the hashes of
//! two joined hashes; each hash is a new vector, as libraries without arrays of fixed length return them.
//! `hash SEED TREES` prints the last root.

mod random;

use random::arguments;

fn mix(state: &mut [u64; 4]) {
    for round in 0..4 {
        state[0] = state[0].wrapping_add(state[1]).rotate_left(13) ^ round;
        state[1] = (state[1] ^ state[0]).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        state[2] = state[2].wrapping_add(state[3]).rotate_left(17);
        state[3] ^= state[2];
        state.swap(1, 3);
    }
}

/// The message with a one, zeros and its length, so that it is whole blocks.
fn padded(message: &[u8]) -> Vec<u8> {
    let mut all = Vec::with_capacity((message.len() + 9 + 31) / 32 * 32);
    all.extend_from_slice(message);
    all.push(0x80);
    while all.len() % 32 != 24 {
        all.push(0);
    }
    all.extend_from_slice(&(message.len() as u64).to_le_bytes());
    all
}

fn hash(message: &[u8]) -> Vec<u8> {
    let mut state = [1, 2, 3, 4];
    for block in padded(message).chunks(32) {
        for (word, bytes) in state.iter_mut().zip(block.chunks(8)) {
            *word ^= u64::from_le_bytes(bytes.try_into().unwrap());
        }
        mix(&mut state);
    }
    state.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn joined(level: &[Vec<u8>]) -> Vec<Vec<u8>> {
    level.chunks(2).map(|pair| hash(&pair.concat())).collect()
}

fn main() {
    let (mut random, count) = arguments();
    let mut root = Vec::new();
    for _ in 0..count {
        let mut level = vec![root];
        for _ in 0..64 + random.below(200) {
            let leaf: Vec<u8> = (0..random.below(300))
                .map(|_| random.next() as u8)
                .collect();
            level.push(hash(&leaf));
        }
        while level.len() > 1 {
            level = joined(&level);
        }
        root = level.pop().unwrap();
    }
    let text: String = root.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("{text}");
}
