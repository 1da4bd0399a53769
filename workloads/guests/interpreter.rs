//! A guest that interprets a small Lisp: lists are pairs, calls have scopes of their own, all of them shared and
//! counted. The script sorts lists of random numbers. `interpreter SEED LISTS` prints one number.

mod random;

use random::arguments;
use std::rc::Rc;

enum Value {
    Nil,
    Number(i64),
    Symbol(String),
    Pair(Rc<Value>, Rc<Value>),
    Function(Rc<Value>, Rc<Value>),
}

struct Scope {
    name: Rc<Value>,
    value: Rc<Value>,
    outer: Option<Rc<Scope>>,
}

const SCRIPT: &str = "
(define less (lambda (limit all) (if all (if (< (head all) limit)
    (pair (head all) (less limit (tail all))) (less limit (tail all))) ())))
(define more (lambda (limit all) (if all (if (< (head all) limit)
    (more limit (tail all)) (pair (head all) (more limit (tail all)))) ())))
(define joined (lambda (first second) (if first (pair (head first) (joined (tail first) second)) second)))
(define sorted (lambda (all) (if all (joined (sorted (less (head all) (tail all)))
    (pair (head all) (sorted (more (head all) (tail all))))) ())))
(define sum (lambda (all by) (if all (+ (* by (head all)) (sum (tail all) (+ by 1))) 0)))
(define work (lambda (all) (sum (sorted all) 1)))
";

fn read(words: &mut dyn Iterator<Item = String>) -> Option<Rc<Value>> {
    let word = words.next()?;
    Some(Rc::new(match word.as_str() {
        "(" => return Some(read_list(words)),
        ")" => return None,
        _ => word.parse().map_or(Value::Symbol(word), Value::Number),
    }))
}

fn read_list(words: &mut dyn Iterator<Item = String>) -> Rc<Value> {
    match read(words) {
        Some(first) => Rc::new(Value::Pair(first, read_list(words))),
        None => Rc::new(Value::Nil),
    }
}

fn head(value: &Value) -> &Rc<Value> {
    match value {
        Value::Pair(first, _) | Value::Function(first, _) => first,
        _ => panic!("no pair"),
    }
}

fn tail(value: &Value) -> &Rc<Value> {
    match value {
        Value::Pair(_, rest) | Value::Function(_, rest) => rest,
        _ => panic!("no pair"),
    }
}

fn number(value: &Value) -> i64 {
    match value {
        Value::Number(number) => *number,
        _ => panic!("no number"),
    }
}

fn symbol(value: &Value) -> &str {
    match value {
        Value::Symbol(name) => name,
        _ => "",
    }
}

fn found(name: &str, scope: &Option<Rc<Scope>>) -> Rc<Value> {
    let mut at = scope.as_ref();
    while let Some(each) = at {
        if symbol(&each.name) == name {
            return Rc::clone(&each.value);
        }
        at = each.outer.as_ref();
    }
    panic!("no {name}")
}

fn called(function: &Value, arguments: Vec<Rc<Value>>, globals: &Option<Rc<Scope>>) -> Rc<Value> {
    let mut scope = globals.clone();
    let mut names = Rc::clone(head(function));
    for value in arguments {
        scope = Some(Rc::new(Scope {
            name: Rc::clone(head(&names)),
            value,
            outer: scope,
        }));
        names = Rc::clone(tail(&names));
    }
    evaluated(tail(function), &scope, globals)
}

fn evaluated(
    code: &Rc<Value>,
    scope: &Option<Rc<Scope>>,
    globals: &Option<Rc<Scope>>,
) -> Rc<Value> {
    match &**code {
        Value::Symbol(name) => found(name, scope),
        Value::Pair(first, rest) => match symbol(first) {
            "if" => {
                let is_true = !matches!(*evaluated(head(rest), scope, globals), Value::Nil);
                let branches = tail(rest);
                let chosen = if is_true {
                    head(branches)
                } else {
                    head(tail(branches))
                };
                evaluated(chosen, scope, globals)
            }
            "lambda" => Rc::new(Value::Function(
                Rc::clone(head(rest)),
                Rc::clone(head(tail(rest))),
            )),
            name => {
                let mut arguments = Vec::new();
                let mut at = rest;
                while let Value::Pair(each, further) = &**at {
                    arguments.push(evaluated(each, scope, globals));
                    at = further;
                }
                applied(name, arguments, scope, globals)
            }
        },
        _ => Rc::clone(code),
    }
}

fn applied(
    name: &str,
    arguments: Vec<Rc<Value>>,
    scope: &Option<Rc<Scope>>,
    globals: &Option<Rc<Scope>>,
) -> Rc<Value> {
    match name {
        "head" => Rc::clone(head(&arguments[0])),
        "tail" => Rc::clone(tail(&arguments[0])),
        "pair" => Rc::new(Value::Pair(
            Rc::clone(&arguments[0]),
            Rc::clone(&arguments[1]),
        )),
        "+" => Rc::new(Value::Number(number(&arguments[0]) + number(&arguments[1]))),
        "*" => Rc::new(Value::Number(number(&arguments[0]) * number(&arguments[1]))),
        "<" if number(&arguments[0]) < number(&arguments[1]) => Rc::new(Value::Number(1)),
        "<" => Rc::new(Value::Nil),
        _ => called(&found(name, scope), arguments, globals),
    }
}

fn main() {
    let (mut random, count) = arguments();
    let spaced = SCRIPT.replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().map(String::from);
    let mut globals = None;
    while let Some(definition) = read(&mut words) {
        let (name, code) = (head(tail(&definition)), head(tail(tail(&definition))));
        let value = evaluated(code, &globals, &globals);
        globals = Some(Rc::new(Scope {
            name: Rc::clone(name),
            value,
            outer: globals,
        }));
    }
    let mut total = 0i64;
    for _ in 0..count {
        let mut list = Rc::new(Value::Nil);
        for _ in 0..20 + random.below(30) {
            list = Rc::new(Value::Pair(
                Rc::new(Value::Number(random.below(1000) as i64)),
                list,
            ));
        }
        total += number(&called(&found("work", &globals), vec![list], &globals));
    }
    println!("{total}");
}
