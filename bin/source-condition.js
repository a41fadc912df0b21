// Lets `import 'waymark'` inside a clone reach src/ without a build; see "exports" in package.json.

/** Resolves as usual, with the source condition switched on. */
export function resolve(specifier, context, next) {
  return next(specifier, { ...context, conditions: [...context.conditions, 'waymark-source'] })
}
