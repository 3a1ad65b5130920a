// Removes events, controllers, versions and children from a failing world, one at a time, while it still fails.
import { runWorld } from './stranger-runner.ts'
import type { ControllerPlan, OperatorPlan, VersionPlan, WorldPlan } from './world-plan.ts'

export interface ShrunkWorld {
  readonly plan: WorldPlan
  readonly faults: readonly string[]
}

export async function shrunk(plan: WorldPlan): Promise<ShrunkWorld> {
  let smallest: ShrunkWorld = { plan, faults: await runWorld(plan) }
  for (let at = 0, all = smallerPlans(plan); at < all.length; ) {
    const candidate = all[at] ?? plan
    const faults = await runWorld(candidate).catch(() => [])
    if (faults.length === 0) at += 1
    else {
      smallest = { plan: candidate, faults }
      all = smallerPlans(candidate)
    }
  }
  return smallest
}

/** Returns the plan without one part, for each part; the last events first. */
function smallerPlans(plan: WorldPlan): readonly WorldPlan[] {
  return [
    ...without(plan.events)
      .reverse()
      .map((events) => ({ ...plan, events })),
    ...smallerOperators(plan.operators).map((operators) => ({ ...plan, operators })),
  ]
}

function smallerOperators(operators: readonly OperatorPlan[]): readonly (readonly OperatorPlan[])[] {
  const dropped = operators.length > 1 ? without(operators) : []
  return [
    ...dropped,
    ...replacing(operators, (operator) => {
      const { controllers } = operator
      const fewer = controllers.length > 1 ? without(controllers) : []
      const smaller = replacing(controllers, smallerControllers)
      return [...fewer, ...smaller].map((kept) => ({ ...operator, controllers: kept }))
    }),
  ]
}

function smallerControllers(controller: ControllerPlan): readonly ControllerPlan[] {
  const { versions } = controller
  const fewer = versions.length > 1 ? without(versions) : []
  return [...fewer, ...replacing(versions, smallerVersions)].map((kept) => ({ ...controller, versions: kept }))
}

/** Keeps a child that a later one waits for. */
function smallerVersions({ templates, bug }: VersionPlan): readonly VersionPlan[] {
  const isGate = (at: number) => templates.some(({ policy }) => (policy.waitsFor ?? -1) >= at)
  const fewer = without(templates).filter((_, at) => !isGate(at))
  return [...(bug === undefined ? [] : [{ templates }]), ...fewer.map((kept) => ({ templates: kept, bug }))]
}

function without<T>(list: readonly T[]): (readonly T[])[] {
  return list.map((_, at) => list.toSpliced(at, 1))
}

function replacing<T>(list: readonly T[], smaller: (one: T) => readonly T[]): readonly (readonly T[])[] {
  return list.flatMap((one, at) => smaller(one).map((other) => list.with(at, other)))
}
