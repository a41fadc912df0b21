/** Estimates how many tokens a text costs a model: about four bytes each, in JSON and prose alike. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4)
}

/** How many characters fit into a number of tokens. */
export function charactersIn(tokens: number): number {
  return tokens * 4
}
