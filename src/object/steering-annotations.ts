// Names of the annotations by which users, and authors of children that are custom resources, steer the operator of a resource.

export const steeringAnnotations = {
  /** `"true"`: nothing is written but the condition Paused; a deletion waits too. */
  paused: 'konverge.dev/paused',
  /** A token, usually the time: a new one takes a turn at once, and is echoed in `status.lastHandledReconcileAt`. */
  reconcileNow: 'konverge.dev/reconcile-now',
  /** `10m`: a resource with nothing left to do gets a turn after that time, for the drift that no event tells of. */
  interval: 'konverge.dev/reconcile-interval',
  /** `"true"`: what the resource has outside of its namespace and the operator cannot reach may stay. */
  abandon: 'konverge.dev/abandon-external',
} as const
