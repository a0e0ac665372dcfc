/** Texts to begin with; the cursor is at the |. */

export const SAMPLES: { name: string; language: string; text: string }[] = [
  {
    name: "a call",
    language: "python",
    text: `def area(width, height):
    return width * height


def total(rooms):
    result = 0
    for width, height in rooms:
        result += area(|)
    return result
`,
  },
  {
    name: "a block",
    language: "python",
    text: `class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        |

    def pop(self):
        return self.items.pop()
`,
  },
  {
    name: "broken elsewhere",
    language: "python",
    text: `def load(path:
    with open(path) as file
        return file.read()


def words(text):
    return [word for word in |]
`,
  },
  {
    name: "inside an f-string",
    language: "python",
    text: `name, count = "apple", 3
print(f"{count} {name|}")
`,
  },
  {
    name: "Go",
    language: "go",
    text: `package main

import "fmt"

func total(prices []float64) (sum float64) {
\tfor _, price := range prices {
\t\tsum += |
\t}
\treturn sum
}

func main() {
\tfmt.Println(total([]float64{1.5, 2}))
}
`,
  },
  {
    name: "JSON",
    language: "json",
    text: `{
  "name": "suture",
  "languages": ["python", |],
  "private": false
}
`,
  },
];
