// Directed graph of numbered nodes: its longest weighted paths, or one of its cycles, both in linear time. An edge
// carries its origin.

/** Cycles are reported by the origins of their edges. Edges that only shape the graph have no origin. */
export class LevelGraph<Origin> {
  readonly #weights: readonly number[]
  readonly #next: number[][]
  readonly #origins: (Origin | undefined)[][]

  /** `weights[node]`: the weight that a path gains by passing the node. */
  constructor(weights: readonly number[]) {
    this.#weights = weights
    this.#next = weights.map(() => [])
    this.#origins = weights.map(() => [])
  }

  connect(from: number, to: number, origin?: Origin): void {
    this.#next[from]?.push(to)
    this.#origins[from]?.push(origin)
  }

  /**
   * Returns the greatest weight of a path to each node, without its own; undefined if there is a cycle. Kahn's
   * algorithm.
   */
  levels(): readonly number[] | undefined {
    const waiting = this.#weights.map(() => 0)
    for (const successors of this.#next) for (const to of successors) waiting[to] = (waiting[to] ?? 0) + 1
    const levels = this.#weights.map(() => 0)
    const ready = [...waiting.keys()].filter((node) => waiting[node] === 0)
    // The list grows during the loop; every node enters at most once.
    for (const node of ready) {
      const level = (levels[node] ?? 0) + (this.#weights[node] ?? 0)
      for (const to of this.#next[node] ?? []) {
        levels[to] = Math.max(levels[to] ?? 0, level)
        waiting[to] = (waiting[to] ?? 0) - 1
        if (waiting[to] === 0) ready.push(to)
      }
    }
    return ready.length === levels.length ? levels : undefined
  }

  /**
   * Returns the origins on one cycle, in the direction of the edges; empty without a cycle. Depth-first, without
   * recursion.
   */
  cycle(): readonly Origin[] {
    const visited = new Map<number, 'open' | 'closed'>()
    for (const root of this.#next.keys()) {
      const path = visited.has(root) ? [] : [{ node: root, edge: -1 }]
      for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
        visited.set(top.node, 'open')
        top.edge += 1
        const to = this.#next[top.node]?.[top.edge]
        if (to === undefined) {
          visited.set(top.node, 'closed')
          path.pop()
        } else if (visited.get(to) === 'open') {
          const loop = path.slice(path.findIndex(({ node }) => node === to))
          return loop.map(({ node, edge }) => this.#origins[node]?.[edge]).filter((origin) => origin !== undefined)
        } else if (!visited.has(to)) path.push({ node: to, edge: -1 })
      }
    }
    return []
  }
}
