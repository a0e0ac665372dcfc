namespace shop {

template <typename T>
class Box {
 public:
  explicit Box(T value) : value_(value) {}

  T get() const { return value_; }

  template <typename F>
  auto map(F f) const -> Box<decltype(f(value_))> {
    return Box<decltype(f(value_))>(f(value_));
  }

 private:
  T value_;
};

enum class Kind { small, large };

struct Item {
  const char *name = nullptr;
  Kind kind{Kind::small};
};

inline int total(const int (&counts)[3]) {
  int sum = 0;
  for (int count : counts) {
    sum += count;
  }
  auto twice = [&](int by) { return sum * by; };
  return Box<int>(twice(2)).get();
}

}  // namespace shop
