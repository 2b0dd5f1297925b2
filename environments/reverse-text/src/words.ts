// Common short words for the generated texts. Ours; any list would do.
export const words: readonly string[] = (
  "able acid air also arm art ask back ball band bank bar base bath bear bed bell belt bend best bill bird blow blue boat body bone book " +
  "born both bowl box boy bread break bring brush build burn bus cake call calm camp card care case cat chain chair chalk cheap chest " +
  "chief child clean clear clock cloth cloud coal coast coat cold cook cool copy corn cost cow crop cross crowd cry cup cut dance dark " +
  "date day deal dear deep deer dish dog door down draw dream dress drink drive drop dry duck dust each ear earth east easy edge egg end " +
  "even eye face fact fair fall farm fast fat fear feed feel few field fill find fine fire fish five flag flat floor flow fly fold food " +
  "foot form four free fresh front fruit full game gate gift girl give glad glass goat gold good grain grass great green ground group grow " +
  "guide hair half hall hand hard hat head hear heart heat help high hill hold hole home hook hope horse hot hour house ice iron jar join " +
  "joke jump keep key kind king kite knee knot know lake lamp land large last late laugh lead leaf learn left leg lend lid life lift light " +
  "line lion list lock long look lose loud love low lunch make map mark meal meat melt milk mind mist moon more moss moth mouth move much " +
  "name near neck need nest net new night noise north nose note nut oak oil old open oven owl own page paint pair palm pan paper park part " +
  "past path pay peach pear pen piece pig pin pipe place plain plan plant play plum pond pool poor port post pot price pull push queen " +
  "quick quiet rain reach read red rest rice rich ride right ring rise river road rock roof room root rope rose round row rule run sack safe " +
  "sail salt same sand save seat seed sell send seven shade shape share sharp sheep shelf shell ship shirt shoe shop short show side silk " +
  "sing sink six skin sky sleep slow small smile smoke snow soap soft soil song soon sound soup south space spoon spot spring square stamp " +
  "stand star start stay steam stem step stick stone stop store storm story straw street strong sugar sun sweet swim table tail tale talk " +
  "tall tea tent test thin thing thread three tide tie time tired toe tool top town toy track trade train tree trip true turn twig two type " +
  "vase view voice wait walk wall warm wash water wave weak wear week west wet wheat wheel white wide wild wind wine wing winter wire wise " +
  "wolf wood wool word work world wren write yard year yell yes young"
).split(" ");
