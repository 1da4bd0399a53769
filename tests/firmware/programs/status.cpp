// Ends with a status of its own. C++, with all that C++ has to have here: no library, no constructors before
// main.
#include "firmware/board.h"

namespace {

class Sum {
  public:
    constexpr explicit Sum(uint32_t begin) : value_(begin) {}
    template <typename Number>
    Sum& operator+=(Number number) {
        value_ += static_cast<uint32_t>(number);
        return *this;
    }
    uint32_t value() const { return value_; }

  private:
    uint32_t value_;
};

volatile uint32_t zeroed;
volatile uint32_t initialised = 40;
constinit Sum sum(1);

}  // namespace

int main() {
    board_write_number(zeroed);
    board_write(" ");
    board_write_number(UINT64_MAX);
    board_write("\n");
    sum += initialised;
    sum += uint64_t{1};
    board_exit(static_cast<int>(sum.value()));
}
