// CWE-415 in C++, an object is deleted twice; the table at the end says what serves it.
#include "objects.h"

#include <list>
#include <map>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

struct Point {
    double x, y, z;
};
struct Shape {
    virtual ~Shape() = default;
    double sides[6];
};
struct Square : Shape {
    double more[4];
};
struct Matrix {
    double cells[64];
};

// ---- directly

void delete_twice() {
    auto* point = one_among_many<Point>();
    delete point;
    if (wrong) delete point;
    ask_again_for(point);
}

void delete_matrix_twice() {
    auto* matrix = one_among_many<Matrix>();
    delete matrix;
    if (wrong) delete matrix;
    ask_again_for(matrix);
}

void delete_array_twice() {
    auto* numbers = static_cast<int*>(made_among_many(by_new_array<int, 12>, 0));
    delete[] numbers;
    if (wrong) delete[] numbers;
    ask_again(by_new_array<int, 12>, 12 * sizeof(int), numbers);
}

void operator_delete_twice() {
    void* object = made_among_many(by_operator_new, 144);
    ::operator delete(object);
    if (wrong) ::operator delete(object);
    ask_again(by_operator_new, 144, object);
}

void sized_delete_twice() {
    void* object = made_among_many(by_operator_new, 80);
    ::operator delete(object, size_t{80});
    if (wrong) ::operator delete(object, size_t{80});
    ask_again(by_operator_new, 80, object);
}

void* by_new_that_cannot_throw(size_t bytes) {
    return ::operator new(bytes, std::nothrow);
}

void nothrow_delete_twice() {
    void* object = made_among_many(by_new_that_cannot_throw, 56);
    ::operator delete(object, std::nothrow);
    if (wrong) ::operator delete(object, std::nothrow);
    ask_again(by_new_that_cannot_throw, 56, object);
}

void free_after_delete() {
    void* object = made_among_many(by_operator_new, 48);
    ::operator delete(object);
    if (wrong) free(object);
    ask_again(by_operator_new, 48, object);
}

struct alignas(128) Line {
    char bytes[128];
};

void aligned_delete_twice() {
    auto* line = one_among_many<Line>();
    delete line;
    if (wrong) delete line;
    ask_again_for(line);
}

void delete_large_array_twice() {
    auto* numbers = new double[20000];
    delete[] numbers;
    if (wrong) delete[] numbers;
    ask_again(by_new_array<double, 20000>, 20000 * sizeof(double), numbers);
}

// ---- through classes

void through_base_and_derived() {
    auto* square = one_among_many<Square>();
    void* object = square;
    square->~Square();
    ::operator delete(object);
    if (wrong) ::operator delete(object);
    ask_again_for(square);
}

/// Copies the pointer where it should copy what that points to.
struct Holder {
    explicit Holder(Point* of) : point(of) {}
    ~Holder() { delete point; }
    Point* point;
};

void copied_holder() {
    auto* point = one_among_many<Point>();
    auto* holder = new Holder(point);
    Holder copy = *holder;
    delete holder;
    if (!wrong) copy.point = nullptr;
    copy.~Holder();
    ask_again_for(point);
    copy.point = nullptr;
}

void assigned_holder() {
    auto* point = one_among_many<Point>();
    {
        Holder first(point), second(nullptr);
        second = first;
        if (!wrong) second.point = nullptr;
    }
    ask_again_for(point);
}

void delete_in_destructor_and_after() {
    auto* point = one_among_many<Point>();
    {
        Holder holder(point);
    }
    if (wrong) delete point;
    ask_again_for(point);
}

void after_exception() {
    auto* point = one_among_many<Point>();
    try {
        throw std::runtime_error("fault");
    } catch (const std::exception&) {
        delete point;
    }
    if (wrong) delete point;
    ask_again_for(point);
}

// ---- through containers and owners

void two_unique_owners() {
    auto* point = one_among_many<Point>();
    {
        std::unique_ptr<Point> first(point), second(point);
        if (!wrong) static_cast<void>(second.release());
    }
    ask_again_for(point);
}

void two_shared_owners() {
    auto* matrix = one_among_many<Matrix>();
    {
        std::shared_ptr<Matrix> first(matrix), second;
        second = wrong ? std::shared_ptr<Matrix>(matrix) : first;
    }
    ask_again_for(matrix);
}

void get_and_delete() {
    auto* point = one_among_many<Point>();
    {
        std::unique_ptr<Point> owner(point);
        if (wrong) delete owner.get();
    }
    ask_again_for(point);
}

void twice_in_vector() {
    auto* point = one_among_many<Point>();
    std::vector<Point*> points;
    for (void* one : crowd) points.push_back(static_cast<Point*>(one));
    if (wrong) points.push_back(point);
    for (auto* one : points) delete one;
    ask_again_for(point);
}

void twice_in_map() {
    auto* point = one_among_many<Point>();
    std::map<int, Point*> points{{1, point}, {2, wrong ? point : nullptr}};
    for (auto& [key, one] : points) delete one;
    ask_again_for(point);
}

void deallocated_twice() {
    std::allocator<Square> squares;
    Square* square = nullptr;
    for (int i = 0; i < crowd_count; ++i) square = squares.allocate(1);
    squares.deallocate(square, 1);
    if (wrong) squares.deallocate(square, 1);
    for (int i = 0; i < most_asked_again; ++i) {
        if (squares.allocate(1) == square && wrong) leave_noticed_late();
    }
}

// ---- threads

void deleted_by_other_thread() {
    auto* point = one_among_many<Point>();
    std::thread([=] { delete point; }).join();
    if (wrong) delete point;
    ask_again_for(point);
}

void deleted_by_other_thread_again() {
    auto* square = one_among_many<Square>();
    delete square;
    void* object = square;
    if (wrong) std::thread([=] { ::operator delete(object); }).join();
    ask_again_for(square);
}

const misuse cases[] = {
    {"delete_twice", "pool", delete_twice},
    {"delete_matrix_twice", "pool", delete_matrix_twice},
    {"delete_array_twice", "pool", delete_array_twice},
    {"operator_delete_twice", "pool", operator_delete_twice},
    {"sized_delete_twice", "pool", sized_delete_twice},
    {"nothrow_delete_twice", "fallback", nothrow_delete_twice},
    {"free_after_delete", "pool", free_after_delete},
    {"aligned_delete_twice", "fallback", aligned_delete_twice},
    {"delete_large_array_twice", "fallback", delete_large_array_twice},
    {"through_base_and_derived", "pool", through_base_and_derived},
    {"copied_holder", "pool", copied_holder},
    {"assigned_holder", "pool", assigned_holder},
    {"delete_in_destructor_and_after", "pool", delete_in_destructor_and_after},
    {"after_exception", "pool", after_exception},
    {"two_unique_owners", "pool", two_unique_owners},
    {"two_shared_owners", "pool", two_shared_owners},
    {"get_and_delete", "pool", get_and_delete},
    {"twice_in_vector", "pool", twice_in_vector},
    {"twice_in_map", "pool", twice_in_map},
    {"deallocated_twice", "pool", deallocated_twice},
    {"deleted_by_other_thread", "pool", deleted_by_other_thread},
    {"deleted_by_other_thread_again", "pool", deleted_by_other_thread_again},
};

}  // namespace
MISUSE_MAIN(cases)
