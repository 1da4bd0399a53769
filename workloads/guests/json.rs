//! A guest that parses JSON: documents of records, one after the other, each read into a tree of values, added up
//! and dropped. `json SEED DOCUMENTS` prints one number.

mod random;

use random::{arguments, Random};

enum Value {
    Null,
    Truth(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Record(Vec<(String, Value)>),
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&mut self) -> u8 {
        while self.text[self.at] == b' ' {
            self.at += 1;
        }
        self.text[self.at]
    }

    fn skip(&mut self, wanted: u8) -> bool {
        let is_there = self.peek() == wanted;
        self.at += usize::from(is_there);
        is_there
    }

    fn value(&mut self) -> Value {
        match self.peek() {
            b'{' => self.record(),
            b'[' => self.list(),
            b'"' => Value::Text(self.string()),
            b'n' => self.word(4, Value::Null),
            b't' => self.word(4, Value::Truth(true)),
            b'f' => self.word(5, Value::Truth(false)),
            _ => self.number(),
        }
    }

    fn word(&mut self, letters: usize, value: Value) -> Value {
        self.at += letters;
        value
    }

    fn record(&mut self) -> Value {
        let mut fields = Vec::new();
        self.skip(b'{');
        while !self.skip(b'}') {
            let name = self.string();
            self.skip(b':');
            fields.push((name, self.value()));
            self.skip(b',');
        }
        Value::Record(fields)
    }

    fn list(&mut self) -> Value {
        let mut values = Vec::new();
        self.skip(b'[');
        while !self.skip(b']') {
            values.push(self.value());
            self.skip(b',');
        }
        Value::List(values)
    }

    fn string(&mut self) -> String {
        let mut found = String::new();
        self.skip(b'"');
        while self.text[self.at] != b'"' {
            self.at += usize::from(self.text[self.at] == b'\\');
            found.push(self.text[self.at] as char);
            self.at += 1;
        }
        self.at += 1;
        found
    }

    fn number(&mut self) -> Value {
        let begin = self.at;
        while b"+-.0123456789eE".contains(&self.text[self.at]) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.text[begin..self.at]).unwrap();
        Value::Number(text.parse().unwrap())
    }
}

fn sum(value: &Value) -> f64 {
    match value {
        Value::Null => 0.0,
        Value::Truth(is_true) => f64::from(u8::from(*is_true)),
        Value::Number(number) => *number,
        Value::Text(text) => text.len() as f64,
        Value::List(values) => values.iter().map(sum).sum(),
        Value::Record(fields) => fields
            .iter()
            .map(|(name, value)| name.len() as f64 + sum(value))
            .sum(),
    }
}

/// A list of orders, each with a customer, items and remarks.
fn document(random: &mut Random, text: &mut String) {
    text.clear();
    text.push('[');
    for number in 0..20 + random.below(40) {
        text.push_str(&format!(
            "{{\"id\": {number}, \"customer\": {{\"name\": \"{}\", \"since\": {}, \"vip\": {}}}, \"items\": [",
            "Alexandrine".repeat(1 + random.below(2) as usize),
            1990 + random.below(35),
            random.below(2) == 0
        ));
        for _ in 0..random.below(9) {
            text.push_str(&format!(
                "{{\"sku\": \"{:06}\", \"count\": {}, \"price\": {}.{:02}}}, ",
                random.below(1_000_000),
                1 + random.below(9),
                random.below(500),
                random.below(100)
            ));
        }
        text.push_str("], \"remark\": ");
        match random.below(3) {
            0 => text.push_str("null"),
            _ => text.push_str(&format!(
                "\"{}\"",
                "please ring twice; ".repeat(random.below(6) as usize)
            )),
        }
        text.push_str("}, ");
    }
    text.push(']');
}

fn main() {
    let (mut random, count) = arguments();
    let mut text = String::with_capacity(1 << 16);
    let mut total = 0.0;
    for _ in 0..count {
        document(&mut random, &mut text);
        total += sum(&Parser {
            text: text.as_bytes(),
            at: 0,
        }
        .value());
    }
    println!("{total:.2}");
}
