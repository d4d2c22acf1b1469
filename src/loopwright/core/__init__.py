"""The kernel and the commands around it: durable steps, leases, budgets, recovery. Speaks to ports only."""
