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
    text: `class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance

    def deposit(self, amount):
        self.balance += amount

    def withdraw(self, amount):
        |

    def __repr__(self):
        return f"Account({self.owner}, {self.balance})"
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
    text: `def describe(name, count):
    return f"{count} of {|}"
`,
  },
  {
    name: "Go",
    language: "go",
    text: `package main

import "fmt"

type Room struct {
	width, height int
}

func area(width, height int) int {
	return width * height
}

func report(rooms []Room) {
	for _, room := range rooms {
		fmt.Println(area(|))
	}
}
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
  "rooms": [
    { "name": "kitchen", "width": 3, "height": 4 },
    { "name": "hall", "width": 2, |}
  ]
}
`,
  },
];
