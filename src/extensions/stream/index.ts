export { answerStream, type StreamFormat } from './answer-stream.ts'
export { STREAM_URN, streamExtension } from './stream.ts'
