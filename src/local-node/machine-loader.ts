// Facts of this machine, read once at the start of a node.
import { readFileSync } from 'node:fs'
import { arch, cpus, release, totalmem, type, version } from 'node:os'
import type { Machine } from './node-object.ts'

export function loadMachine(): Machine {
  return {
    operatingSystem: type().toLowerCase(),
    // Labels of nodes use Go's names.
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
    return '' // Only Linux has a boot ID.
  }
}
