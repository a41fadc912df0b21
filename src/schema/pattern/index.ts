export { compilePattern, judgePattern, toRegExp } from './compile.ts'
export { compileRe2, type LinearPattern } from './linear.ts'
export { writeMatch } from './write.ts'
