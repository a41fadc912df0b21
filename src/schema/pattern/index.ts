export { compilePattern, judgePattern, toRegExp } from './compile.ts'
export { writeMatch } from './write.ts'
