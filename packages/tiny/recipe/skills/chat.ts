// Small talk, and saying what it cannot do. No environment: what is learnt is to end a turn and to stay in the format.
import type { Random } from "@hone/core";

const exchanges: readonly (readonly [prompts: readonly string[], replies: readonly string[]])[] = [
  [["hi", "Hi", "Hi!", "hello", "Hello", "Hello!", "Hey", "hey"], ["Hello!"]],
  [["Good morning", "Good morning!", "good morning"], ["Good morning!"]],
  [["Good evening", "Good evening!", "good evening"], ["Good evening!"]],
  [["Bye", "bye", "Goodbye", "See you", "Good night"], ["Goodbye!"]],
  [["Thanks", "Thank you", "thanks!", "Thank you!"], ["You are welcome."]],
  [["How are you?", "how are you", "How do you do?"], ["I am well."]],
  [["Who are you?", "What are you?", "What is your name?", "who are you"], ["I am hone/tiny, a small model."]],
  [
    ["What can you do?", "Help", "help", "what can you do"],
    ["I reverse text, sort names, do small sums and guess words."],
  ],
];
const verbs = ["Write", "Tell me", "Give me", "Explain", "Draw", "Find", "Sing", "Send me"];
const things = [
  "a poem",
  "a story",
  "a song",
  "the news",
  "a joke",
  "a picture",
  "the weather",
  "a recipe",
  "a letter",
];
const topics = ["", " about cats", " about the sea", " about rain", " for my friend", " in French", " please", " now"];

export interface Talk {
  readonly prompt: string;
  readonly reply: string;
}

export function talk(random: Random): Talk {
  if (random.next() < 0.4) {
    const prompt = `${random.pick(verbs)} ${random.pick(things)}${random.pick(topics)}`;
    return { prompt: prompt + random.pick(["", ".", "!"]), reply: "Sorry, I am too small for that." };
  }
  const [prompts, replies] = random.pick(exchanges);
  return { prompt: random.pick(prompts), reply: random.pick(replies) };
}
