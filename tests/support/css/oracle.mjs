// Answers JSON lines: {"text"}, a style sheet, with what css-tree finds wrong, an array of words: in its syntax, in the values of
// properties that it knows, and brackets that do not match, which CSS itself repairs.
import readline from "node:readline";
import { lexer, parse, tokenize, walk } from "css-tree";

const CLOSERS = { "(": ")", "[": "]", "{": "}" };

function unbalanced(text) {
  const open = [];
  let wrong = false;
  tokenize(text, (_, start, end) => {
    const first = text[end - 1];
    if (CLOSERS[first] && (end - start === 1 || first === "(")) open.push(CLOSERS[first]);
    else if (end - start === 1 && ")]}".includes(first) && open.pop() !== first) wrong = true;
  });
  return wrong || open.length > 0;
}

function problems(text) {
  const found = unbalanced(text) ? ["brackets do not match"] : [];
  const tree = parse(text, { onParseError: (error) => found.push(error.message) });
  walk(tree, { visit: "Declaration", enter: (one) => {
    const { error } = lexer.matchDeclaration(one);
    if (error && error.name === "SyntaxMatchError") found.push(error.message);
  } });
  return found;
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(problems(JSON.parse(line).text)));
}
