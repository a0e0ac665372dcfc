#define MAX 10

struct item {
  const char *name;
  unsigned count;
};

static struct item items[MAX] = {{"a", 1}, {"b", 2}};

static int find(const char *name, int from) {
  for (int i = from; i < MAX; i++) {
    if (items[i].name == name) {
      return i;
    }
  }
  return -1;
}

unsigned add(const char *name, unsigned count) {
  int at = find(name, 0);
  if (at < 0) {
    return 0;
  } else {
    items[at].count += count;
  }
  switch (count) {
    case 0:
      break;
    default:
      at = (at + 1) % MAX;
  }
  return items[at].count;
}
