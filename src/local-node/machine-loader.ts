// What machine is this? Read once at the start of a node.
import { readFileSync } from 'node:fs'
import { arch, cpus, release, totalmem, type, version } from 'node:os'
import type { Machine } from './node-object.ts'

export function loadMachine(): Machine {
  return {
    operatingSystem: type().toLowerCase(),
    // Go's names, which the labels of nodes use.
    architecture: arch() === 'x64' ? 'amd64' : arch(),
    kernelVersion: release(),
    osImage: version(),
    bootId: bootId(),
    cpus: Math.max(1, cpus().length),
    memoryBytes: totalmem(),
    userId: process.getuid?.(),
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return '' // Only Linux has one.
  }
}
