// Entry point `konverge/testing`: the test kit for controllers.
export type { Fault, FaultRule } from '../apiserver/faults/fault-rule.ts'
export type { FaultyServer } from '../apiserver/faults/faulty-server.ts'
export type { RequestRecord } from './request-recorder.ts'
export { SimClock, settle } from './sim-clock.ts'
export { startCluster, type TestCluster, type TestClusterOptions } from './test-cluster.ts'
export type { TestOperator, TestOperatorOptions } from './test-operator.ts'
