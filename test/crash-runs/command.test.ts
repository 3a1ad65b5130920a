// Command line of the crash runs: its options, and the messages about errors in them.
import { expect, it } from 'vitest'
import { readCommand } from './command.ts'

const usual = { draw: { kind: 'drawn', runs: 10_000, seed: 1 }, lanes: 2 }

it.each([
  [[], usual],
  [['--runs', '300', '--seed', '7'], { draw: { kind: 'drawn', runs: 300, seed: 7 } }],
  [
    ['--every', '--workflow', 'database', '--workflow', 'migration'],
    { draw: { kind: 'every' }, only: ['database', 'migration'] },
  ],
  [['--run', 'database@15:12', '--lanes', '4'], { draw: { kind: 'one', key: 'database@15:12' }, lanes: 1 }],
  [['--minutes', '90', '--folder', '/runs'], { ...usual, minutes: 90, folder: '/runs' }],
])('the command line %j is parsed', (args, command) => {
  expect(readCommand(args)).toMatchObject(command)
})

it.each([
  [['--runs', 'many'], "--runs is a whole number from 1, not 'many'"],
  [['--seed', '0'], "--seed is a whole number from 1, not '0'"],
  [['--times', '3'], /'--times'/],
])('the command line %j is rejected with its error', (args, message) => {
  expect(readCommand(args)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
})
