//! What all guests draw from (xorshift), and the two numbers that they are called with.

pub struct Random(u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    #[allow(dead_code)]
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// What the first argument is the seed of, and the second one.
pub fn arguments() -> (Random, u64) {
    let mut numbers = std::env::args()
        .skip(1)
        .map(|each| each.parse::<u64>().unwrap());
    let seed = numbers.next().expect("a seed");
    (
        Random(88172645463325252 ^ seed),
        numbers.next().expect("a number"),
    )
}
