package main

import (
	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/model"
)

// completeWith offers the shell fixed values of a flag.
func completeWith(c *cobra.Command, flag string, values ...string) {
	// It fails only for a flag that does not exist.
	cobra.CheckErr(c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

// completeTypes offers the entity types of the model.
func completeTypes(c *cobra.Command) {
	var types []string
	for _, entity := range model.Default().Entities() {
		types = append(types, entity.Name)
	}
	completeWith(c, "type", types...)
}
