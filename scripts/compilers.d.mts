/** The compilers that users have. */
export function listCompilers(): readonly { readonly name: string; readonly tsc: string }[]
