import { expect, it } from 'vitest'
import {
  isSameSetting,
  settingIn,
  settingName,
  settingText,
} from '../../../../src/controllers/engines/postgres/role-setting.ts'

it.each([
  ['statement_timeout', '5s', `"statement_timeout" TO '5s'`],
  ['Search_Path', 'app, "My Schema", "$user"', `"search_path" TO 'app', 'My Schema', '$user'`],
  ['search_path', '', `"search_path" TO ''`],
  ['app.user', `it's`, `"app"."user" TO 'it''s'`],
  [`x"; DROP TABLE y; --`, 'v', `"x""; drop table y; --" TO 'v'`],
])('a role setting %s = %j is written as %s', (name, value, text) => {
  expect(settingText(name, value)).toBe(text)
  expect(settingText(name, value).startsWith(settingName(name))).toBe(true)
})

it.each([
  ['search_path', 'a,b', 'a, b', true],
  ['search_path', 'A, b', 'a, b', true],
  ['search_path', '"A", b', 'a, b', false],
  ['search_path', 'b, a', 'a, b', false],
  ['search_path', '"a, b"', 'a, b', false],
  ['search_path', '""', '', true],
  ['search_path', '"say ""hi"""', '"say ""hi"""', true],
  ['statement_timeout', '5s', '5000', false],
  ['statement_timeout', '5s', '5s', true],
])('a role setting %s equals %j and %j: %s', (name, left, right, isSame) => {
  expect(isSameSetting(name, left, right)).toBe(isSame)
})

it('a role setting is split at the first equals sign', () => {
  expect(settingIn('app.query=a=b')).toEqual({ name: 'app.query', value: 'a=b' })
})
