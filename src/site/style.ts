/** How a documentation site looks, in light and in dark. */
export const STYLE: string = `
:root { color-scheme: light dark; --ink: light-dark(#1c2430, #e6e9ef); --soft: light-dark(#5b6675, #a2acba);
  --line: light-dark(#dfe4ea, #2c3542); --page: light-dark(#fff, #12161c); --wash: light-dark(#f5f7f9, #1a2029);
  --accent: light-dark(#0a5fb4, #7cb8ff); --warn: light-dark(#8a4b00, #f0b35c) }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--page);
  display: grid; grid-template: auto 1fr / 18rem minmax(0, 1fr); min-height: 100vh }
header { grid-column: 1 / -1; padding: .75rem 1.5rem; border-bottom: 1px solid var(--line) }
.title { font-weight: 650; color: inherit; text-decoration: none }
.version, .type, .limits, .soft { color: var(--soft); font-size: .9em }
nav { padding: 1rem 1.5rem; border-right: 1px solid var(--line); overflow: auto; position: sticky; top: 0; max-height: 100vh }
nav h2 { font-size: .8rem; color: var(--soft); margin: 1.2rem 0 .3rem; font-weight: 600 }
nav .more { margin-top: 1.2rem; border-top: 1px solid var(--line); padding-top: .8rem }
nav ul { list-style: none; margin: 0; padding: 0 }
nav a { display: block; padding: .15rem .4rem; border-radius: 4px; overflow-wrap: anywhere; font-size: .93rem }
nav a[aria-current] { background: var(--wash); font-weight: 600 }
#search { width: 100%; font: inherit; padding: .35rem .6rem; border: 1px solid var(--line); border-radius: 6px;
  background: var(--page); color: inherit }
main { padding: 1.5rem 2rem 4rem; max-width: 60rem }
h1 { margin: 0 0 .25rem; font-size: 1.7rem; overflow-wrap: anywhere }
h2 { margin: 2rem 0 .5rem; font-size: 1.15rem }
a { color: var(--accent); text-decoration: none }
a:hover { text-decoration: underline }
code, pre { font: .9em/1.5 ui-monospace, monospace }
pre { background: var(--wash); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; overflow: auto }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--line) }
td:first-child { width: 30% }
td p { margin: .2rem 0 }
.required, .deprecated { color: var(--warn); font-size: .8em; font-weight: 600 }
.note { border-left: 3px solid var(--warn); padding: .2rem .9rem; background: var(--wash) }
.skip { position: absolute; left: -999rem }
.skip:focus { left: 1rem; top: 1rem; background: var(--page); padding: .5rem }
[hidden] { display: none }
@media (max-width: 48rem) { body { display: block } nav { position: static; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line) } }
`
