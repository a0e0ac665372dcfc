package shop;

import java.util.HashMap;
import java.util.Map;

public final class Stock implements Comparable<Stock> {
  private final String name;
  private final Map<String, Integer> counts = new HashMap<>();

  public Stock(String name) {
    this.name = name;
  }

  public int add(String item, int count) throws IllegalArgumentException {
    if (count <= 0) {
      throw new IllegalArgumentException("no " + item);
    }
    int now = counts.getOrDefault(item, 0) + count;
    counts.put(item, now);
    return now;
  }

  @Override
  public int compareTo(Stock other) {
    return name.compareTo(other.name);
  }

  String sorted() {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, Integer> entry : counts.entrySet()) {
      switch (entry.getValue()) {
        case 0:
          continue;
        default:
          text.append(entry.getKey()).append(',');
      }
    }
    return text.toString();
  }
}
