// The test kit that konverge publishes: what a controller's own tests need.
export { SimClock, settle } from './sim-clock.ts'
