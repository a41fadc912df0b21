import { describe, expect, it } from 'vitest'
import { problemsOf, short, trigger } from '../../../test/support/tool-spec.ts'
import type { SpecProblem } from './finding.ts'

describe('triggers', () => {
  it('[TS-56] webhook needs name, description and path', () => {
    expect(short(trigger('{ type: webhook }')).sort()).toEqual([
      'E007 triggers[0].description',
      'E007 triggers[0].name',
      'E071 triggers[0].path',
    ])
  })

  it('[TS-57] webhook may leave out event and secret_env, the latter with a warning', () => {
    expect(short(trigger('{ type: webhook, name: w, description: d, path: /w }'))).toEqual([
      'W071 triggers[0](w)',
    ])
    expect(
      short(
        trigger('{ type: webhook, name: w, description: d, path: /w, event: e, secret_env: S }'),
      ),
    ).toEqual([])
  })

  it('refuses webhook paths that leave their place or are used twice', () => {
    for (const path of ['w', '/w?a=1', '/a/../b']) {
      expect(
        short(
          trigger(`{ type: webhook, name: w, description: d, path: "${path}", secret_env: S }`),
        ),
      ).toEqual(['E070 triggers[0](w).path'])
    }
    const two = `${trigger('{ type: webhook, name: w, description: d, path: /w, secret_env: S }')}  - { type: webhook, name: v, description: d, path: /w, secret_env: S }\n`
    expect(short(two)).toEqual(['E070 triggers[1](v).path'])
  })

  it('takes the challenge of a webhook with its secret only', () => {
    const hook = (rest: string): readonly SpecProblem[] =>
      problemsOf(trigger(`{ type: webhook, name: w, description: d, path: /w, ${rest} }`))
    expect(hook('secret_env: S, challenge: meta, verify_env: V')).toEqual([])
    expect(hook('secret_env: S, challenge: twitter')).toEqual([])
    expect(hook('secret_env: S, challenge: meta')).toMatchObject([
      {
        code: 'E085',
        path: 'triggers[0](w).challenge',
        hint: 'add verify_env: ORDERS_VERIFY_TOKEN',
      },
    ])
    expect(hook('challenge: twitter')).toMatchObject([
      { code: 'W071' },
      { code: 'E085', path: 'triggers[0](w).challenge', message: 'twitter needs secret_env' },
    ])
    expect(hook('secret_env: S, verify_env: V')).toMatchObject([
      { code: 'E085', path: 'triggers[0](w).verify_env' },
    ])
    expect(hook('secret_env: S, challenge: meta, verify_env: "not a name"')).toMatchObject([
      { code: 'E061', path: 'triggers[0](w).verify_env' },
    ])
    expect(hook('secret_env: S, challenge: metta, verify_env: V')).toMatchObject([
      { code: 'E009', hint: 'did you mean "meta"?' },
    ])
    const strict = trigger(
      '{ type: webhook, name: w, description: d, path: /w, secret_env: S, challenge: twitter }',
    )
    expect(short(strict, { strictSeed: true })).toEqual(['E090 triggers[0](w).challenge'])
    expect(hook('secret_env: S, chalenge: twitter')).toMatchObject([
      { code: 'E006', hint: 'did you mean "challenge"?' },
    ])
  })

  it('takes a jitter that is shorter than the time between two runs', () => {
    const clock = (cron: string, jitter: string): string[] =>
      short(
        trigger(
          `{ type: schedule, name: s, description: d, cron: "${cron}", timezone: UTC, jitter: ${jitter} }`,
        ),
      )
    const refused = ['E086 triggers[0](s).jitter']
    expect(clock('0 2 * * *', '{ value: 30, unit: minute }')).toEqual([])
    expect(clock('0 2 * * *', '{ value: 24, unit: hour }')).toEqual(refused)
    expect(clock('*/7 * * * *', '{ value: 239, unit: second }')).toEqual([])
    expect(clock('*/7 * * * *', '{ value: 4, unit: minute }')).toEqual(refused)
    expect(clock('0 0 1 1 *', '{ value: 25, unit: hour }')).toEqual(refused)
    expect(clock('0 2 * * *', '{ value: 0, unit: hour }')).toEqual([
      'E008 triggers[0](s).jitter.value',
    ])
    expect(clock('soon', '{ value: 1, unit: hour }')).toEqual(['E072 triggers[0](s).cron'])
  })

  it('[TS-62] [TS-63] schedule needs cron and takes */15 * * * *', () => {
    expect(short(trigger('{ type: schedule, name: s, description: d }'))).toEqual([
      'E071 triggers[0](s).cron',
    ])
    expect(
      short(trigger('{ type: schedule, name: s, description: d, cron: "*/15 * * * *" }')),
    ).toEqual([])
  })

  it('[TS-187] refuses six fields and what does not parse, and warns about a date that never comes', () => {
    const cron = (text: string): readonly SpecProblem[] =>
      problemsOf(trigger(`{ type: schedule, name: s, description: d, cron: "${text}" }`))
    expect(cron('0 0 0 * * *')).toMatchObject([{ code: 'E072' }])
    expect(cron('2026-12-01T00:00:00Z')).toMatchObject([{ code: 'E072' }])
    expect(cron('61 * * * *')).toMatchObject([
      { code: 'E072', message: expect.stringContaining('61') },
    ])
    expect(cron('0 0 31 2 *')).toMatchObject([{ code: 'W073', severity: 'warning' }])
    for (const fine of ['0 2 * * *', '0 9 * * MON-FRI', '1,2 3-5 * JAN 0', '@daily'])
      expect(cron(fine)).toEqual([])
  })

  it('refuses a time zone nobody knows', () => {
    expect(
      short(
        trigger(
          '{ type: schedule, name: s, description: d, cron: "0 2 * * *", timezone: Mars/Base }',
        ),
      ),
    ).toEqual(['E079 triggers[0](s).timezone'])
  })

  it('[TS-67] emit needs event', () => {
    expect(short(trigger('{ type: emit, name: e, description: d }'))).toEqual([
      'E071 triggers[0](e).event',
    ])
  })

  it('[TS-70] queue needs queue_url of a known scheme; queue_env is optional', () => {
    const queue = (rest: string): string[] =>
      short(trigger(`{ type: queue, name: q, description: d${rest} }`))
    expect(queue('')).toEqual(['E071 triggers[0](q).queue_url'])
    for (const url of [
      'amqp://h/q',
      'amqps://h/q',
      'redis://h/0',
      'rediss://h',
      'sqs://q',
      'https://sqs.eu-west-1.amazonaws.com/1/q',
      'https://queue.amazonaws.com/1/q',
      '\u0024{QUEUE}',
    ]) {
      expect(queue(`, queue_url: "${url}"`)).toEqual([])
    }
    for (const url of ['kafka://h', 'https://example.com/q', 'nothing'])
      expect(queue(`, queue_url: "${url}"`)).toEqual(['E074 triggers[0](q).queue_url'])
    expect(queue(', queue_url: "amqp://u:secret@h/q", queue_env: Q')).toEqual([
      'W075 triggers[0](q).queue_url',
    ])
  })

  it('[TS-72] [TS-73] [TS-74] [TS-75] file needs watch_path: a directory or glob under the project; events are optional', () => {
    const file = (rest: string, options = {}): string[] =>
      short(trigger(`{ type: file, name: f, description: d${rest} }`), options)
    expect(file('')).toEqual(['E071 triggers[0](f).watch_path'])
    for (const path of ['./inbox', 'inbox/**/*.csv', '\u0024{INBOX}'])
      expect(file(`, watch_path: "${path}"`)).toEqual([])
    for (const path of ['/', '/etc', '../x', 'a/../../b', '~/x', 'C:\\\\x'])
      expect(file(`, watch_path: "${path}"`)).toEqual(['E077 triggers[0](f).watch_path'])
    expect(file(', watch_path: /srv/in', { allowAbsolutePaths: true })).toEqual([])
    expect(file(', watch_path: in, events: []')).toEqual(['E076 triggers[0](f).events'])
    expect(file(', watch_path: in, events: [rename]')).toEqual(['E076 triggers[0](f).events[0]'])
    expect(file(', watch_path: in, events: [delete]')).toEqual([])
  })

  it('[TS-77] an unknown type lists the five', () => {
    const problems = problemsOf(trigger('{ type: hook, name: h, description: d }'))
    expect(problems).toMatchObject([
      { code: 'E073', path: 'triggers[0](h).type', hint: 'did you mean "webhook"?' },
    ])
    expect(problems[0]?.message).toContain('webhook, schedule, emit, queue, file')
    expect(short(trigger('{ name: h, description: d }'))).toEqual(['E007 triggers[0](h).type'])
  })

  it('[TS-78] a field of another kind is reported with the kind it belongs to', () => {
    const [problem] = problemsOf(
      trigger(
        '{ type: webhook, name: w, description: d, path: /w, secret_env: S, cron: "* * * * *" }',
      ),
    )
    expect(problem).toMatchObject({ code: 'E006', path: 'triggers[0](w).cron' })
    expect(problem?.hint).toBe('"cron" belongs to a schedule trigger, this is a webhook trigger')
  })

  it('warns about a tool that no tool of the file is called', () => {
    expect(short(trigger('{ type: emit, name: e, description: d, event: x, tool: lst }'))).toEqual([
      'W078 triggers[0](e).tool',
    ])
  })
})
