export { compilePattern, isRegExp, judgePattern, toRegExp } from './compile.ts'
export { writeMatch } from './write.ts'
