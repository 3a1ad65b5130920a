// Names of the annotations by which users, and authors of children that are custom resources, steer the operator of a
// resource.

export const steeringAnnotations = {
  /** `"true"`: the operator writes only the condition Paused; a deletion waits too. */
  paused: 'konverge.dev/paused',
  /**
   * A token, usually the time: a new value triggers a reconcile at once, and appears in
   * `status.lastHandledReconcileAt`.
   */
  reconcileNow: 'konverge.dev/reconcile-now',
  /** `10m`: interval of the resync of a resource that is in sync, for drift without an event. */
  interval: 'konverge.dev/reconcile-interval',
  /** `"true"`: unreachable objects of the resource outside of its namespace may stay. */
  abandon: 'konverge.dev/abandon-external',
} as const
