export { compilePattern, judgePattern, toRegExp } from './compile.ts'
